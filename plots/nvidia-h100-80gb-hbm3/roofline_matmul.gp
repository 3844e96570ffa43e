# A roofline with its data. Draw it again: gnuplot roofline_matmul.gp
if (!exists("svg")) svg = "roofline_matmul.svg"
if (!exists("png")) png = "roofline_matmul.png"
set encoding utf8
$points << EOD
44.2956 2.8387e+12
177.182 3.41434e+13
708.73 5.06792e+13
1471.58 5.0739e+13
90.2665 5.50221e+12
361.066 2.23558e+14
1527.76 7.22982e+14
2888.53 6.99884e+14
93.7127 5.14448e+12
374.851 2.24567e+14
1586.08 7.55784e+14
2998.81 7.24579e+14
45.9867 2.26128e+12
183.947 3.63224e+13
735.788 5.09592e+13
1646.64 5.12461e+13
97.2905 5.55382e+12
389.162 2.22761e+14
1709.5 7.33477e+14
3113.3 7.1948e+14
101.005 5.20128e+12
404.019 2.11552e+14
1774.77 7.63984e+14
3232.16 7.41927e+14
47.7424 2.71883e+12
190.97 3.40479e+13
763.879 4.98268e+13
1842.53 5.10617e+13
104.861 5.59199e+12
419.444 2.2043e+14
1912.87 7.35769e+14
3355.55 7.07172e+14
108.864 5.52971e+12
435.458 2.22464e+14
1985.9 7.68974e+14
3483.66 7.37419e+14
38.1305 6.92025e+11
152.522 4.21491e+12
610.089 3.16045e+12
938.685 3.15243e+12
66.8885 7.34103e+11
267.554 3.91926e+12
974.522 3.00507e+12
2140.43 3.18684e+12
69.4422 7.31271e+11
277.769 3.87609e+12
1011.73 2.94109e+12
2222.15 3.16301e+12
39.5863 2.05558e+12
158.345 8.1449e+12
633.381 8.2204e+12
1050.35 8.41162e+12
72.0933 2.09079e+12
288.373 8.29195e+12
1090.45 8.35999e+12
2306.99 8.52205e+12
74.8457 1.75027e+12
299.383 6.31605e+12
1132.09 6.42292e+12
2395.06 6.53659e+12
41.0976 8.11077e+11
164.391 8.21116e+12
657.562 1.10756e+13
1175.31 1.09839e+13
77.7032 8.46379e+11
310.813 1.36766e+13
1220.18 1.88504e+13
2486.5 1.83539e+13
80.6698 7.93333e+11
322.679 1.30293e+13
1266.76 1.67828e+13
2581.43 1.61848e+13
42.6667 5.08183e+12
170.667 5.63239e+13
682.667 1.15148e+14
1315.12 1.21485e+14
83.7496 5.96579e+12
334.998 2.11721e+14
1365.33 7.17091e+14
2679.99 6.8108e+14
86.947 5.61172e+12
347.788 2.14965e+14
1417.46 7.50894e+14
2782.3 7.08516e+14
EOD
$lines << EOD
5 4.07056e+13
119.543 9.73216e+14


5 1.51201e+13
321.829 9.73216e+14


5 1.56709e+13
310.518 9.73216e+14


119.543 9.73216e+14
10000 9.73216e+14


113.664 9.25349e+14
10000 9.25349e+14


19.9239 1.62203e+14
10000 1.62203e+14


36.7283 1.33725e+14
49.5651 1.33725e+14


64.4287 2.67449e+14
113.021 2.67449e+14


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
set label 1000 'Roofline of matmul: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.14 TB/s' at 5.41056, 5.2669e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.02 TB/s' at 5.99887, 1.46386e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.13 TB/s' at 5.41056, 2.02765e+13 left rotate by 30.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 973 TFLOP/s, tensor f16 925 TFLOP/s' at 9293.58, 1.13469e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 / 6 162 TFLOP/s' at 9293.58, 1.89114e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
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
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cublas', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cublaslt', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
