# A roofline with its data. Draw it again: gnuplot roofline_matmul_bias_act.gp
if (!exists("svg")) svg = "roofline_matmul_bias_act.svg"
if (!exists("png")) png = "roofline_matmul_bias_act.png"
set encoding utf8
$points << EOD
44.008 1.91798e+12
174.673 3.42742e+13
687.819 5.103e+13
1394.21 4.97953e+13
88.6227 3.52957e+12
351.754 1.57775e+14
1413.96 6.54875e+14
2694.29 7.01985e+14
89.8484 3.66164e+12
356.619 1.5591e+14
1433.51 6.68489e+14
2731.56 7.24145e+14
569.788 3.64455e+14
698.807 4.23406e+14
1251.8 7.77253e+14
91.0912 5.34371e+12
361.552 1.4765e+14
1453.34 6.72986e+14
2769.34 7.29779e+14
577.669 3.14738e+14
708.472 4.27321e+14
1269.11 6.80768e+14
44.6167 1.97667e+12
177.089 3.21975e+13
716.756 5.04715e+13
1472.96 5.09358e+13
92.3511 3.98235e+12
366.553 1.64804e+14
1493.82 6.65034e+14
2807.64 6.93166e+14
93.6284 3.95097e+12
371.623 1.62045e+14
1514.48 6.77062e+14
2846.47 7.39309e+14
585.659 3.81266e+14
728.206 4.35753e+14
1286.67 6.98245e+14
41.6552 5.02764e+11
165.335 3.16332e+12
642.163 2.19287e+12
79.3997 4.1465e+11
315.147 2.6196e+12
1232.48 1.5942e+12
80.4979 4.14715e+11
319.506 2.61899e+12
1249.52 1.59444e+12
42.2313 2.08348e+12
167.621 8.08964e+12
651.045 8.30528e+12
81.6113 2.12312e+12
323.925 8.09737e+12
1266.81 8.53736e+12
82.7401 2.11906e+12
328.406 8.10591e+12
1284.33 8.54831e+12
42.8155 6.50912e+11
169.94 6.64453e+12
660.05 8.58949e+12
83.8845 8.05427e+11
332.948 1.28449e+13
1302.09 1.88197e+13
85.0448 8.00903e+11
337.553 1.26858e+13
1320.1 1.77895e+13
43.4076 4.93911e+12
172.29 5.13578e+13
669.18 1.14902e+14
1337.92 1.25854e+14
86.2211 7.05337e+12
342.222 2.2507e+14
1356.87 7.18557e+14
2621.28 7.4351e+14
87.4136 7.07517e+12
346.955 2.25562e+14
1375.64 7.32e+14
2657.53 7.69664e+14
562.015 5.28923e+14
679.87 5.74776e+14
1234.72 7.63886e+14
EOD
$lines << EOD
5 4.0022e+13
121.075 9.69134e+14


5 1.50698e+13
321.548 9.69134e+14


5 1.55835e+13
310.948 9.69134e+14


121.075 9.69134e+14
10000 9.69134e+14


115.114 9.21419e+14
10000 9.21419e+14


38.3714 3.0714e+14
10000 3.0714e+14


41.0869 1.34363e+14
45.2338 1.34363e+14


78.3165 2.68726e+14
94.9234 2.68726e+14


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [5:10000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of matmul_bias_act: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 5.41056, 5.17845e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 5.99887, 1.45899e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 5.41056, 2.01635e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 9293.58, 1.12993e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 9293.58, 3.58099e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.95 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.25 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.55 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.95 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.25 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.55 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cublaslt', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.95 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.25 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'gpt2_mlp', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.55 linewidth 1.6 title 'bert_large_mlp', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'opt_6_7b_mlp'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
