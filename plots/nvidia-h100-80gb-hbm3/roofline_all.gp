# A roofline with its data. Draw it again: gnuplot roofline_all.gp
if (!exists("svg")) svg = "roofline_all.svg"
if (!exists("png")) png = "roofline_all.png"
set encoding utf8
$points << EOD
0.166667 5.009e+11
0.329404 9.79469e+11
0.337309 6.99557e+11
486.588 3.79096e+13
961.704 4.17564e+14
984.784 4.0789e+14
0.617633 1.85883e+12
1.20632 3.5831e+12
1.23527 3.59016e+12
0.976445 2.93856e+12
1.97618 5.68518e+12
2.02336 5.47795e+12
1333.34 1.21485e+14
1365.33 3.76978e+14
2698.48 7.54818e+14
435.058 3.49549e+14
1398.55 1.25854e+14
2764.14 7.4351e+14
1260.43 7.63886e+14
1024 2.41348e+14
2023.86 7.12108e+14
2072.68 6.524e+14
0.25 6.39995e+11
0.488282 1.19086e+12
0.5 1.22682e+12
0.511968 1.47808e+12
0.999939 2.88793e+12
1.024 2.72158e+12
0.632455 1.28913e+12
1.26491 3.59218e+12
1.29527 3.59014e+12
EOD
$lines << EOD
0.02 1.60088e+11
121.075 9.69134e+14


0.02 6.02792e+10
321.548 9.69134e+14


0.02 6.23341e+10
310.948 9.69134e+14


121.075 9.69134e+14
10000 9.69134e+14


115.114 9.21419e+14
10000 9.21419e+14


60.241 4.82193e+14
10000 4.82193e+14


38.3714 3.0714e+14
10000 3.0714e+14


7.88194 6.30902e+13
10000 6.30902e+13


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:10000]
set yrange [2e+10:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of all ops: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures of the best kernel of each op and dtype at its largest size; points of one intensity stand side by side.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0219864, 2.25663e+11 left rotate by 39.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0274291, 6.13447e+10 left rotate by 39.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0219864, 8.78671e+10 left rotate by 39.5 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 8811.91, 1.17413e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor tf32 482 TFLOP/s' at 8811.91, 5.8419e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 8811.91, 3.72108e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 8811.91, 7.64355e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
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
  $lines index 7-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 8-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $points every ::1-1::1-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::2-1::2-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::3-1::3-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::4-1::4-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::5-1::5-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::6-1::6-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::7-1::7-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::8-1::8-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::9-1::9-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::10-1::10-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::11-1::11-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::12-1::12-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::13-1::13-1 with points pointtype 7 linecolor rgb "#0072B2" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::14-1::14-1 with points pointtype 13 linecolor rgb "#0072B2" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::15-1::15-1 with points pointtype 9 linecolor rgb "#0072B2" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::16-1::16-1 with points pointtype 5 linecolor rgb "#0072B2" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::17-1::17-1 with points pointtype 7 linecolor rgb "#CC79A7" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::18-1::18-1 with points pointtype 9 linecolor rgb "#CC79A7" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::19-1::19-1 with points pointtype 5 linecolor rgb "#CC79A7" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::20-1::20-1 with points pointtype 7 linecolor rgb "#8C6D1F" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::21-1::21-1 with points pointtype 9 linecolor rgb "#8C6D1F" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::22-1::22-1 with points pointtype 5 linecolor rgb "#8C6D1F" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::23-1::23-1 with points pointtype 7 linecolor rgb "#7A5195" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::24-1::24-1 with points pointtype 9 linecolor rgb "#7A5195" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::25-1::25-1 with points pointtype 5 linecolor rgb "#7A5195" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#4D4D4D" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 9 linecolor rgb "#4D4D4D" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 5 linecolor rgb "#4D4D4D" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 7 linecolor rgb "#A3123F" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 9 linecolor rgb "#A3123F" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#A3123F" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Ops (best kernel)', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'add', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'conv2d', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'gelu', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'layernorm', \
  NaN with points pointtype 7 linecolor rgb "#0072B2" pointsize 1.40 linewidth 1.6 title 'matmul', \
  NaN with points pointtype 7 linecolor rgb "#CC79A7" pointsize 1.40 linewidth 1.6 title 'matmul_bias_act', \
  NaN with points pointtype 7 linecolor rgb "#8C6D1F" pointsize 1.40 linewidth 1.6 title 'mha', \
  NaN with points pointtype 7 linecolor rgb "#7A5195" pointsize 1.40 linewidth 1.6 title 'reduce_sum', \
  NaN with points pointtype 7 linecolor rgb "#4D4D4D" pointsize 1.40 linewidth 1.6 title 'rmsnorm', \
  NaN with points pointtype 7 linecolor rgb "#A3123F" pointsize 1.40 linewidth 1.6 title 'softmax', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 13 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32 as tf32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
