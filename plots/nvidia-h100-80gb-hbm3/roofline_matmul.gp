# A roofline with its data. Draw it again: gnuplot roofline_matmul.gp
if (!exists("svg")) svg = "roofline_matmul.svg"
if (!exists("png")) png = "roofline_matmul.png"
set encoding utf8
$points << EOD
44.134 2.8387e+12
176.536 3.41434e+13
706.144 5.06792e+13
1412.29 5.0739e+13
86.7882 5.0451e+12
347.153 2.10043e+14
1460.86 7.05125e+14
2777.22 6.73605e+14
89.7729 4.97221e+12
359.092 2.12669e+14
1511.1 7.41865e+14
2872.73 7.10023e+14
45.6518 2.26128e+12
182.607 3.63224e+13
730.428 5.09592e+13
1563.06 5.12461e+13
92.8602 4.99253e+12
371.441 2.10871e+14
1616.82 7.0697e+14
2971.53 6.92286e+14
96.0537 4.93435e+12
384.215 2.13364e+14
1672.42 7.37724e+14
3073.72 7.19594e+14
99.357 4.86724e+12
397.428 1.75474e+14
1729.93 7.49469e+14
3179.42 7.39859e+14
102.774 3.37896e+12
411.096 2.10451e+14
1789.43 7.71549e+14
3288.76 7.81216e+14
47.2217 2.71883e+12
188.887 3.40479e+13
755.548 4.98268e+13
1850.96 5.10617e+13
106.308 4.95343e+12
425.233 2.14478e+14
1914.62 7.40076e+14
3401.87 7.05909e+14
109.964 4.96673e+12
439.857 2.13367e+14
1980.46 7.70303e+14
3518.86 7.54897e+14
38.551 6.92025e+11
154.204 4.21491e+12
616.816 3.16045e+12
941.262 3.15243e+12
66.2195 7.26783e+11
264.878 3.91009e+12
973.632 3.0061e+12
2119.02 3.18554e+12
68.4968 7.28175e+11
273.987 3.87e+12
1007.12 2.95898e+12
2191.9 3.17654e+12
39.8768 2.05558e+12
159.507 8.1449e+12
638.028 8.2204e+12
1041.75 8.41162e+12
70.8524 2.00713e+12
283.41 8.25869e+12
1077.58 8.49771e+12
2267.28 8.52766e+12
73.289 1.7287e+12
293.156 6.30198e+12
1114.63 6.48338e+12
2345.25 6.55596e+12
41.2481 8.11077e+11
164.993 8.21116e+12
659.97 1.10756e+13
1152.97 1.09839e+13
75.8094 8.2671e+11
303.238 1.3593e+13
1192.62 1.9173e+13
2425.9 1.85491e+13
78.4166 8.0414e+11
313.666 1.30158e+13
1233.63 1.68589e+13
2509.33 1.63055e+13
42.6667 5.08183e+12
170.667 5.63239e+13
682.667 1.15148e+14
1276.06 1.21485e+14
81.1133 5.36259e+12
324.453 1.99886e+14
1319.94 6.96813e+14
2595.63 6.88379e+14
83.9028 5.31817e+12
335.611 2.02697e+14
1365.33 7.33741e+14
2684.89 7.22021e+14
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


37.2693 1.32979e+14
48.8457 1.32979e+14


64.0179 2.65959e+14
113.746 2.65959e+14


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
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 8 linecolor rgb "#B02A37" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 4 linecolor rgb "#B02A37" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cublas', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cublaslt', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#B02A37" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
